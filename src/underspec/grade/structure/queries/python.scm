; What counts where: see ../definitions.py. One file a language; @name names, @receiver tells the owner.
(class_definition name: (identifier) @name) @class
(function_definition name: (identifier) @name) @method

(comment) @comment
; A string that stands alone as a statement documents: it runs as nothing.
(module (string) @comment)
(block (string) @comment)

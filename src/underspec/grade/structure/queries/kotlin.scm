(class_declaration (type_identifier) @name) @class
(object_declaration (type_identifier) @name) @class
(object_literal) @anonymous

; What a companion object holds is called on its class, and belongs to it here.
(function_declaration receiver: (receiver_type) @receiver (simple_identifier) @name) @method
(function_declaration !receiver (simple_identifier) @name) @method
((secondary_constructor) @method.constructor (#set! name "constructor"))

(package_header (identifier) @name) @namespace.rest

(line_comment) @comment
(multiline_comment) @comment
(shebang_line) @comment

(struct_item name: (type_identifier) @name) @class
(enum_item name: (type_identifier) @name) @class
(union_item name: (type_identifier) @name) @class
(trait_item name: (type_identifier) @name) @class
(impl_item type: (_) @name) @owner

(function_item name: (identifier) @name) @method
(trait_item body: (declaration_list (function_signature_item name: (identifier) @name) @method))

(mod_item name: (identifier) @name body: (declaration_list)) @namespace

; Unit tests stand inside the sources; what #[test] or #[cfg(test)] is put on is left out.
(attribute_item) @attribute
(inner_attribute_item) @attribute.inner

(line_comment) @comment
(block_comment) @comment
(shebang) @comment

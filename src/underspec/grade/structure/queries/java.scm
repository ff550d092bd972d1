(class_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @class
(enum_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(annotation_type_declaration name: (identifier) @name) @class
(object_creation_expression (class_body) @anonymous)

(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @method.constructor
(compact_constructor_declaration name: (identifier) @name) @method.constructor
(annotation_type_element_declaration name: (identifier) @name) @method

(package_declaration [(identifier) (scoped_identifier)] @name) @namespace.rest

(line_comment) @comment
(block_comment) @comment

(class_declaration name: (identifier) @name) @class
(struct_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @class
(enum_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class

(method_declaration name: (identifier) @name) @method
(local_function_statement name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @method.constructor
((destructor_declaration name: (identifier) @name) @method (#set! prefix "~"))
((operator_declaration operator: _ @name) @method (#set! prefix "operator "))
((conversion_operator_declaration type: (_) @name) @method (#set! prefix "operator "))

(namespace_declaration name: (_) @name) @namespace
(file_scoped_namespace_declaration name: (_) @name) @namespace.rest

(comment) @comment

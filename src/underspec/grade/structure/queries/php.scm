(class_declaration name: (name) @name) @class
(interface_declaration name: (name) @name) @class
(trait_declaration name: (name) @name) @class
(enum_declaration name: (name) @name) @class
(anonymous_class) @anonymous

(function_definition name: (name) @name) @method
(method_declaration name: (name) @name) @method

(namespace_definition name: (namespace_name) @name !body) @namespace.rest
(namespace_definition name: (namespace_name) @name body: (_)) @namespace

(comment) @comment

(class_definition name: (identifier) @name) @class
(class_definition (mixin_application_class (identifier) @name)) @class
(mixin_declaration (identifier) @name) @class
(enum_declaration name: (identifier) @name) @class
(extension_declaration name: (identifier) @name) @class
(extension_declaration !name class: (_) @name) @owner
(extension_type_declaration name: (identifier) @name) @class

(function_signature name: (identifier) @name) @method
(getter_signature name: (identifier) @name) @method
(setter_signature name: (identifier) @name) @method
(operator_signature) @name @method
; Of `A.named`, the last part.
(constructor_signature name: (identifier) @name . parameters: (formal_parameter_list)) @method.constructor
(constant_constructor_signature (identifier) @name . (formal_parameter_list)) @method.constructor
(factory_constructor_signature (identifier) @name . (formal_parameter_list)) @method.constructor
(redirecting_factory_constructor_signature (identifier) @name . (formal_parameter_list)) @method.constructor

(comment) @comment
(documentation_comment) @comment

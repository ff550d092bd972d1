(type_spec name: (type_identifier) @name type: [(struct_type) (interface_type)]) @class
; Any other defined type is a class when it has methods.
(type_spec name: (type_identifier) @name) @class.implied

(function_declaration name: (identifier) @name) @method
(method_declaration receiver: (parameter_list) @receiver name: (field_identifier) @name) @method
(type_spec type: (interface_type (method_elem name: (field_identifier) @name) @method))

(package_clause (package_identifier) @name) @namespace.rest

(comment) @comment

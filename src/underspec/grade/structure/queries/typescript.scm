(class_declaration name: (type_identifier) @name) @class
(abstract_class_declaration name: (type_identifier) @name) @class
(interface_declaration name: (type_identifier) @name) @class
(enum_declaration name: (identifier) @name) @class
(class name: (type_identifier) @name) @class
(variable_declarator name: (identifier) @name value: (class !name) @class)
(assignment_expression left: (identifier) @name right: (class !name) @class)
(assignment_expression
  left: (member_expression property: (property_identifier) @name) right: (class !name) @class
  (#not-eq? @name "exports"))
(public_field_definition name: (property_identifier) @name value: (class !name) @class)
(pair key: (property_identifier) @name value: (class !name) @class)
((export_statement value: (class !name) @class) (#set! name "default"))
((assignment_expression
  left: (member_expression object: (identifier) @_object property: (property_identifier) @_property)
  right: (class !name) @class)
  (#eq? @_object "module") (#eq? @_property "exports") (#set! name "default"))
(class !name) @anonymous

; Constructor functions of the time before classes: a class when something is put on their prototype.
(function_declaration name: (identifier) @name) @class.implied
(variable_declarator name: (identifier) @name value: (function_expression)) @class.implied
(assignment_expression
  left: (member_expression object: (identifier) @name property: (property_identifier) @_prototype)
  right: (object) @owner
  (#eq? @_prototype "prototype"))
((variable_declarator name: (identifier) @name value: (object) @owner.outer) (#set! weak))

(function_declaration name: (identifier) @name) @method
(generator_function_declaration name: (identifier) @name) @method
(method_definition name: (_) @name) @method
(abstract_method_signature name: (_) @name) @method
(class_body (method_signature name: (_) @name) @method)
(interface_body (method_signature name: (_) @name) @method)
(function_signature name: (identifier) @name) @method
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression) (generator_function)] @method)

; Functions that get their name from what they are bound to.
(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)] @method.outer)
(assignment_expression
  left: (identifier) @name
  right: [(arrow_function) (function_expression) (generator_function)] @method.outer)
(assignment_expression
  left: (member_expression
    object: (member_expression object: (_) @receiver property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (generator_function)] @method.outer
  (#eq? @_prototype "prototype"))
((assignment_expression
  left: (member_expression object: [(identifier) (member_expression)] @receiver property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (generator_function)] @method.outer)
  (#not-eq? @name "exports") (#set! weak))
(pair
  key: [(property_identifier) (string)] @name
  value: [(arrow_function) (function_expression) (generator_function)] @method.outer)
(function_expression name: (identifier) @name) @method.outer
(generator_function name: (identifier) @name) @method.outer

(internal_module name: [(identifier) (nested_identifier)] @name) @namespace
(module name: [(identifier) (nested_identifier)] @name) @namespace

(comment) @comment
(html_comment) @comment
(hash_bang_line) @comment

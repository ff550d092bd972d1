(class_specifier name: (_) @name body: (_)) @class
(struct_specifier name: (_) @name body: (_)) @class
(union_specifier name: (_) @name body: (_)) @class
(enum_specifier name: (_) @name body: (_)) @class
(type_definition type: (struct_specifier !name body: (_)) @class declarator: (type_identifier) @name)
(type_definition type: (union_specifier !name body: (_)) @class declarator: (type_identifier) @name)
(type_definition type: (enum_specifier !name body: (_)) @class declarator: (type_identifier) @name)

; Definitions. Without a type it is a constructor, or else the use of a macro.
(function_definition type: (_) declarator: [
  (function_declarator declarator: [(identifier) (field_identifier) (operator_name) (qualified_identifier)] @name)
  (reference_declarator
    (function_declarator declarator: [(identifier) (field_identifier) (operator_name) (qualified_identifier)] @name))
  (pointer_declarator declarator: [
    (function_declarator declarator: [(identifier) (field_identifier) (operator_name) (qualified_identifier)] @name)
    (reference_declarator
      (function_declarator declarator: [(identifier) (field_identifier) (operator_name) (qualified_identifier)] @name))
    (pointer_declarator declarator:
      (function_declarator declarator: [(identifier) (field_identifier) (operator_name) (qualified_identifier)] @name))
  ])
]) @method
(function_definition !type declarator: (function_declarator declarator: [(identifier) (field_identifier)] @name)) @method.member
(function_definition !type declarator: (function_declarator declarator: [(destructor_name) (qualified_identifier)] @name)) @method
(function_definition declarator: [(operator_cast) (qualified_identifier)] @name) @method

; Declarations in a class, and prototypes outside of functions (inside, `Foo x(y);` only looks like one).
(field_declaration declarator: [
  (function_declarator declarator: [(field_identifier) (operator_name)] @name)
  (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))
  (pointer_declarator declarator: [
    (function_declarator declarator: [(field_identifier) (operator_name)] @name)
    (pointer_declarator declarator: (function_declarator declarator: [(field_identifier) (operator_name)] @name))
  ])
]) @method.outer
(declaration !type declarator: (function_declarator declarator: (identifier) @name)) @method.member
(declaration !type declarator: (function_declarator declarator: (destructor_name) @name)) @method.outer
(declaration declarator: (operator_cast) @name) @method.outer
(declaration type: (_) declarator: [
  (function_declarator declarator: [(identifier) (operator_name)] @name)
  (reference_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))
  (pointer_declarator declarator: [
    (function_declarator declarator: [(identifier) (operator_name)] @name)
    (pointer_declarator declarator: (function_declarator declarator: [(identifier) (operator_name)] @name))
  ])
]) @method.outer

(namespace_definition name: [(namespace_identifier) (nested_namespace_specifier)] @name) @namespace

(comment) @comment

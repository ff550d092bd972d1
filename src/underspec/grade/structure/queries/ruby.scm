(class name: [(constant) (scope_resolution)] @name) @class
; A module is a namespace, and like a class when it has methods of its own.
(module name: [(constant) (scope_resolution)] @name) @module
(assignment
  left: (constant) @name
  right: (call receiver: (constant) @_receiver method: (identifier) @_method) @class
  (#any-of? @_receiver "Struct" "Class" "Data" "Module") (#any-of? @_method "new" "define"))
((call receiver: (constant) @_receiver method: (identifier) @_method block: (_)) @anonymous
  (#any-of? @_receiver "Struct" "Class" "Data" "Module") (#any-of? @_method "new" "define"))

(method name: (_) @name) @method
(singleton_method object: (constant) @receiver name: (_) @name) @method
(singleton_method object: (self) name: (_) @name) @method
((singleton_method object: (identifier) name: (_) @name) @method)

(comment) @comment
(uninterpreted) @comment

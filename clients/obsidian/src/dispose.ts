// iOS 16.4 has no Symbol.dispose, by which the client leaves notes and sockets. Imported before all that uses it.
if (Symbol.dispose === undefined) Object.defineProperty(Symbol, 'dispose', { value: Symbol.for('Symbol.dispose') });

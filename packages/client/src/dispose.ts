/** `Symbol.dispose`; where a system lacks it, as iOS 16.4 does, a symbol of the same use. */
export const DISPOSE: typeof Symbol.dispose = Symbol.dispose ?? (Symbol.for('Symbol.dispose') as typeof Symbol.dispose);

/** A value that can be watched: the one way in which parts of the app tell others of changes. */
export interface Observable<Value> {
  /** The value; the same object until it changes. */
  get(): Value;
  /** Calls the listener after each change; returns a function that ends that. */
  subscribe(listener: () => void): () => void;
}

/** A value that can be set and observed. Its methods are bound. */
export class ObservableValue<Value> implements Observable<Value> {
  #value: Value;
  readonly #listeners = new Set<() => void>();

  constructor(value: Value) {
    this.#value = value;
  }

  readonly get = (): Value => this.#value;

  /** Sets the value; if it is another one, the listeners are told. */
  readonly set = (value: Value): void => {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener();
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
}

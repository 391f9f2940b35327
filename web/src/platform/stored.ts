import type { Observable } from './observable.ts';

/** A value that this browser keeps, the same in all its tabs. */
export interface StoredValue<Value> extends Observable<Value> {
  set(value: Value): void;
}

/** @param read parses the stored value, which may be anything. */
export function storedValue<Value>(name: string, read: (stored: unknown) => Value): StoredValue<Value> {
  let text: string | null = null;
  let value = read(null);
  return {
    get() {
      const now = localStorage.getItem(name);
      if (now !== text) [text, value] = [now, read(parsed(now))];
      return value;
    },
    set(next) {
      localStorage.setItem(name, JSON.stringify(next));
      // Browsers tell the other tabs.
      dispatchEvent(new StorageEvent('storage', { key: name }));
    },
    subscribe(listener) {
      const changed = ({ key }: StorageEvent) => {
        if (key === name || key === null) listener();
      };
      addEventListener('storage', changed);
      return () => removeEventListener('storage', changed);
    },
  };
}

function parsed(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

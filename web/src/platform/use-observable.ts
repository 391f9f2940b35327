import { useSyncExternalStore } from 'react';
import type { Observable } from './observable.ts';

/** A value as it changes. */
export function useObservable<Value>({ subscribe, get }: Observable<Value>): Value {
  return useSyncExternalStore(subscribe, get);
}

/** Returns the part of a value that is read. The component renders again only when that part changes. */
export function useObserved<Value, Read>({ subscribe, get }: Observable<Value>, read: (value: Value) => Read): Read {
  return useSyncExternalStore(subscribe, () => read(get()));
}

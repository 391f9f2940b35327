import type { Observable } from './observable.ts';

const NARROW = '(max-width: 760px)';

export function isNarrow(): boolean {
  return matchMedia(NARROW).matches;
}

/** Whether the window is as narrow as a phone, where side panels cover the page. */
export const narrow: Observable<boolean> = {
  get: isNarrow,
  subscribe(listener) {
    const query = matchMedia(NARROW);
    query.addEventListener('change', listener);
    return () => query.removeEventListener('change', listener);
  },
};

import { type Observable, ObservableValue } from '../../platform/observable.ts';

/** A short message at the edge of the page, announced politely. */
export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly kind: 'plain' | 'danger';
  readonly action?: { readonly label: string; readonly run: () => void };
}

const shown = new ObservableValue<readonly Toast[]>([]);
let lastId = 0;
const MOST = 3;

/** Shows a message; the oldest goes when there are more than three. */
export function showToast(toast: Omit<Toast, 'id'>): void {
  lastId += 1;
  shown.set([...shown.get(), { ...toast, id: lastId }].slice(-MOST));
}

export function hideToast(id: number): void {
  shown.set(shown.get().filter((toast) => toast.id !== id));
}

export const toasts: Observable<readonly Toast[]> = shown;

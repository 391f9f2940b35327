/** A short message at the edge of the page, announced politely. */
export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly kind: 'plain' | 'danger';
  readonly action?: { readonly label: string; readonly run: () => void };
}

let shown: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();
const MOST = 3;

/** Shows a message; the oldest goes when there are more than three. */
export function showToast(toast: Omit<Toast, 'id'>): void {
  lastId += 1;
  change([...shown, { ...toast, id: lastId }].slice(-MOST));
}

export function hideToast(id: number): void {
  change(shown.filter((toast) => toast.id !== id));
}

export function toasts(): readonly Toast[] {
  return shown;
}

export function subscribeToToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function change(next: readonly Toast[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

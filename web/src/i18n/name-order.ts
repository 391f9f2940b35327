const orders = new Map<string, (a: string, b: string) => number>();

/** The order of names in a language of the app, whatever that of the browser; numbers in them count as numbers. */
export function nameOrder(language: string): (a: string, b: string) => number {
  const order = orders.get(language) ?? new Intl.Collator(language, { numeric: true, sensitivity: 'base' }).compare;
  orders.set(language, order);
  return order;
}

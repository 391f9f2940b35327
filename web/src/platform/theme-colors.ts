/** Reads tokens of the theme as colours that a canvas or a frame knows, `rgb(…)`. @param place an element of the page. */
export function readTokens<Name extends string>(
  place: HTMLElement,
  tokens: Readonly<Record<Name, string>>,
): Readonly<Record<Name, string>> {
  const probe = document.createElement('span');
  place.append(probe);
  const read = (token: string) => {
    probe.style.color = `var(${token})`;
    return getComputedStyle(probe).color;
  };
  const colors = Object.entries<string>(tokens).map(([name, token]) => [name, read(token)]);
  probe.remove();
  return Object.fromEntries(colors) as Record<Name, string>;
}

/** Calls the listener when the theme changes; returns a function that removes it. */
export function onTheme(listener: () => void): () => void {
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', listener);
  const chosen = new MutationObserver(listener);
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => {
    scheme.removeEventListener('change', listener);
    chosen.disconnect();
  };
}

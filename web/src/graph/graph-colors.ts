/** The colours of a graph, as the theme has them now. */
export interface GraphColors {
  readonly page: string;
  readonly text: string;
  readonly node: string;
  readonly dim: string;
  readonly accent: string;
  readonly edge: string;
}

const TOKENS = {
  page: '--page',
  text: '--text',
  node: '--node',
  dim: '--line',
  accent: '--accent',
  edge: '--node',
} as const;

/** Reads the tokens as colours that a canvas knows. @param place an element of the page. */
export function readColors(place: HTMLElement): GraphColors {
  const probe = document.createElement('span');
  place.append(probe);
  const read = (token: string) => {
    probe.style.color = `var(${token})`;
    return getComputedStyle(probe).color;
  };
  const colors = Object.fromEntries(Object.entries(TOKENS).map(([name, token]) => [name, read(token)]));
  probe.remove();
  return colors as unknown as GraphColors;
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

/** How strong each of so many links is drawn. */
export function opacityOfEdges(count: number): number {
  return Math.min(0.9, Math.max(0.2, 9 / Math.sqrt(Math.max(1, count))));
}

/** A colour as browsers compute it, `rgb(…)`, with an opacity. */
export function faded(color: string, opacity: number): string {
  const [red = '0', green = '0', blue = '0'] = color.match(/[\d.]+/g) ?? [];
  return `rgba(${red}, ${green}, ${blue}, ${opacity.toFixed(3)})`;
}

import { readTokens } from '../../platform/theme-colors.ts';

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

/** The colours that the theme has now. @param place an element of the page. */
export function readColors(place: HTMLElement): GraphColors {
  return readTokens(place, TOKENS);
}

/** Returns the opacity of an edge, by the number of edges. */
export function opacityOfEdges(count: number): number {
  return Math.min(0.9, Math.max(0.2, 9 / Math.sqrt(Math.max(1, count))));
}

/** A colour as browsers compute it, `rgb(…)`, with an opacity. */
export function faded(color: string, opacity: number): string {
  const [red = '0', green = '0', blue = '0'] = color.match(/[\d.]+/g) ?? [];
  return `rgba(${red}, ${green}, ${blue}, ${opacity.toFixed(3)})`;
}

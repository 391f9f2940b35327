import { existsSync } from 'node:fs';

/** Its shell comes first: the same engine without windows, which starts and draws with half the work. */
const PLACES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
);
const found = process.env.CHROMIUM ?? PLACES.find((place) => existsSync(place));

/** Why there are no tests in a browser here; undefined if there are. */
export const noChromium =
  found === undefined ? 'there is no Chromium: apt-get install chromium-headless-shell' : undefined;

/** Draws letters alike on every machine, each as wide as its font says. */
export const LETTERS = ['--font-render-hinting=none', '--disable-lcd-text', '--force-color-profile=srgb'];

/** Returns the browser of the system, unless CHROMIUM names another: nothing is downloaded. Throws if there is none. */
export function chromiumPath(): string {
  if (found === undefined) throw new Error(noChromium);
  return found;
}

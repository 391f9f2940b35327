import { existsSync } from 'node:fs';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser of the system: nothing is downloaded. Throws if there is none. */
export function chromiumPath(): string {
  const found = PLACES.find((path) => existsSync(path));
  if (found === undefined) throw new Error(`there is no Chromium at ${PLACES.join(', ')}: apt-get install chromium`);
  return found;
}

/** The path below which the server serves the app, with a slash at both ends: `/`, or that of its public URL. */
export const BASE = typeof document === 'undefined' ? '/' : basePath();

/** Returns the folder of the manifest, whose address the server writes into the page; every page of the app has it. */
function basePath(): string {
  const manifest = document.querySelector<HTMLLinkElement>('link[rel=manifest]');
  return manifest === null ? '/' : new URL('.', manifest.href).pathname;
}

/** Returns the address of the server as this page reaches it, without a slash at its end. */
export function serverUrl(): string {
  return location.origin + BASE.slice(0, -1);
}

/** Whether something with this name, which this browser has stored, is ours: other apps may be on the same host. */
export function isStoredByUs(name: string): boolean {
  return BASE === '/' || /^(notevault|tsr)-/.test(name);
}

const RELOADED = 'notevault-reloaded';
const ONCE_MS = 60_000;

/**
 * Loads a part of the app. After an update the parts of the old version are gone, so a failure reloads the page, once
 * in a while.
 */
export async function importOrReload<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    const last = Number(sessionStorage.getItem(RELOADED) ?? 0);
    if (!navigator.onLine || Date.now() - last < ONCE_MS) throw error;
    sessionStorage.setItem(RELOADED, String(Date.now()));
    location.reload();
    return new Promise<never>(() => undefined);
  }
}

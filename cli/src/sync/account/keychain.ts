/** The system's store of secrets: Keychain, Credential Manager or Secret Service. */
export interface Keychain {
  /** Returns a secret; null if there is none or it cannot be read. */
  read(name: string): string | null;
  /** Stores a secret. Throws if the system refuses it. */
  write(name: string, secret: string): void;
  remove(name: string): void;
}

const SERVICE = 'notevault';
/** Without a service the library would fall back to the kernel's keyring, which a restart empties. */
const OPTIONS = { linux: { store: 'secret-service' } } as const;

/** Returns this system's keychain; null without one, as on most machines without a desktop. */
export async function systemKeychain(): Promise<Keychain | null> {
  try {
    const { Entry } = await import('@napi-rs/keyring');
    const entry = (name: string) => new Entry(SERVICE, name, OPTIONS);
    entry('is there a keychain?').getPassword();
    return {
      read: (name) => entry(name).getPassword() ?? null,
      write: (name, secret) => entry(name).setPassword(secret),
      remove(name) {
        entry(name).deleteCredential();
      },
    };
  } catch {
    // The library does not support this system, or no service runs.
    return null;
  }
}

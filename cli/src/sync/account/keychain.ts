/** Where a system keeps secrets of programs: Keychain, Credential Manager, Secret Service. */
export interface Keychain {
  /** Returns a secret; null if there is none, or it cannot be read now. */
  read(name: string): string | null;
  /** Throws when the system does not take it. */
  write(name: string, secret: string): void;
  remove(name: string): void;
}

const SERVICE = 'notevault';
/** The library would else store in a keyring of the kernel where there is no service, which a restart empties. */
const OPTIONS = { linux: { store: 'secret-service' } } as const;

/** Returns the keychain of this system; null where there is none, as on most machines without a desktop. */
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
    // There is no library for this system, or no service.
    return null;
  }
}

import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Environment settings of client commands. The server's options are in its own configuration. */
export interface Environment {
  /** Folder of credentials: `notevault` in the XDG configuration folder. */
  readonly configFolder: string;
  /** Folder of sync state: `notevault` in the XDG state folder. */
  readonly stateFolder: string;
  /** The XDG variables that are set, to pass to services that do not inherit them. */
  readonly folderVariables: Readonly<Record<string, string>>;
  /** Server address from NOTEVAULT_URL; null if unset. */
  readonly url: string | null;
  /** Token from NOTEVAULT_TOKEN for unattended use; null if unset. */
  readonly token: string | null;
}

/** Reads the environment of this process. */
export function processEnvironment(): Environment {
  return readEnvironment(process.env, process.platform, homedir());
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Reads settings from variables. XDG variables take precedence on every system; otherwise each system's own folders are
 * used.
 */
export function readEnvironment(variables: Variables, platform: NodeJS.Platform, home: string): Environment {
  const folder = (variable: string, standard: string): string => {
    const value = variables[variable] ?? '';
    // The XDG specification says to ignore relative paths.
    return join(isAbsolute(value) ? value : standard, 'notevault');
  };
  const local = variables.LOCALAPPDATA ?? join(home, 'AppData', 'Local');
  const [config, state] =
    platform === 'win32'
      ? [local, local]
      : platform === 'darwin'
        ? [join(home, 'Library', 'Application Support'), join(home, 'Library', 'Application Support')]
        : [join(home, '.config'), join(home, '.local', 'state')];
  const named = ['XDG_CONFIG_HOME', 'XDG_STATE_HOME'].flatMap((key) => {
    const value = variables[key] ?? '';
    return isAbsolute(value) ? [[key, value] as const] : [];
  });
  return {
    folderVariables: Object.fromEntries(named),
    configFolder: folder('XDG_CONFIG_HOME', config),
    stateFolder: folder('XDG_STATE_HOME', state),
    url: variables.NOTEVAULT_URL || null,
    token: variables.NOTEVAULT_TOKEN || null,
  };
}

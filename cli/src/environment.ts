import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** What commands for people take from the environment. The options of the server are in its own configuration. */
export interface Environment {
  /** Where credentials are: `notevault` in the XDG configuration folder. */
  readonly configFolder: string;
  /** Where the state of synced folders is: `notevault` in the XDG state folder. */
  readonly stateFolder: string;
  /** The variables that name these folders, where they are set, for programs that do not inherit them. */
  readonly folderVariables: Readonly<Record<string, string>>;
  /** The server that commands use; null when none is named. */
  readonly url: string | null;
  /** A token for unattended use; null when there is none. */
  readonly token: string | null;
}

/** Reads the environment of this process. */
export function processEnvironment(): Environment {
  return readEnvironment(process.env, process.platform, homedir());
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Variables of XDG win on every system; without them, each system's own place is used. */
export function readEnvironment(variables: Variables, platform: NodeJS.Platform, home: string): Environment {
  const folder = (variable: string, standard: string): string => {
    const value = variables[variable] ?? '';
    // The specification of XDG says to ignore relative paths.
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

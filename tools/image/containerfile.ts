/** Settings of a container, as the configuration of an OCI image names them. */
export interface ContainerSettings {
  readonly Env: readonly string[];
  readonly User: string;
  readonly WorkingDir: string;
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Volumes: Readonly<Record<string, object>>;
  readonly ExposedPorts: Readonly<Record<string, object>>;
  readonly StopSignal: NodeJS.Signals;
  /** An extension of Docker's, which also runs it. */
  readonly Healthcheck: { readonly Test: readonly string[] };
}

/** Reads the settings of the last stage of a Containerfile. */
export function settingsOf(containerfile: string): ContainerSettings {
  const stage = containerfile
    .slice(containerfile.lastIndexOf('\nFROM '))
    .replace(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ');
  const value = (name: string) => {
    const found = new RegExp(`^${name} +(.+)$`, 'm').exec(stage)?.[1];
    if (found === undefined) throw new Error(`the Containerfile has no ${name}`);
    return found.trim();
  };
  const list = (text: string) => JSON.parse(text) as string[];
  return {
    Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...value('ENV').split(/\s+/)],
    User: value('USER'),
    WorkingDir: value('WORKDIR'),
    Entrypoint: list(value('ENTRYPOINT')),
    Cmd: list(value('CMD')),
    Volumes: { [value('VOLUME')]: {} },
    ExposedPorts: { [`${value('EXPOSE')}/tcp`]: {} },
    StopSignal: value('STOPSIGNAL') as NodeJS.Signals,
    Healthcheck: { Test: ['CMD', ...list(value('HEALTHCHECK').replace(/^.*\bCMD /, ''))] },
  };
}

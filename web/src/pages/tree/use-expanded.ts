import { useState } from 'react';
import { accountStorage } from '../../session/own-device.ts';

/** The open folders of a vault, which this browser remembers. */
export function useExpanded(vault: string) {
  const [state, setState] = useState(() => ({ vault, folders: stored(vault) }));
  const { folders } = state.vault === vault ? state : { folders: stored(vault) };
  const change = (next: ReadonlySet<string>) => {
    accountStorage().setItem(nameFor(vault), JSON.stringify([...next]));
    setState({ vault, folders: next });
  };
  return {
    folders,
    expand(paths: readonly string[]) {
      if (paths.some((path) => !folders.has(path))) change(new Set([...folders, ...paths]));
    },
    collapse(paths: readonly string[]) {
      change(new Set([...folders].filter((path) => !paths.includes(path))));
    },
  };
}

export type ExpandedFolders = ReturnType<typeof useExpanded>;

function nameFor(vault: string): string {
  return `notevault-open-folders-${vault}`;
}

function stored(vault: string): ReadonlySet<string> {
  try {
    const paths: unknown = JSON.parse(accountStorage().getItem(nameFor(vault)) ?? '[]');
    return new Set(Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : []);
  } catch {
    return new Set();
  }
}

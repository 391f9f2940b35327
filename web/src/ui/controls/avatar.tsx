import styles from './avatar.module.css';

interface AvatarProps {
  readonly name: string;
  /** One on which white is read; else that of the app. */
  readonly color?: string;
  /** What a colour follows from where none is given, so that it stays; without it, that of the app. */
  readonly tone?: string | undefined;
}

/** The first letter of somebody, beside their name or with a title of its own. */
export function Avatar({ name, color, tone }: AvatarProps) {
  return (
    <span
      className={styles.avatar}
      style={color === undefined ? undefined : { background: color }}
      data-tone={tone === undefined ? undefined : toneOf(tone)}
      data-initial={initialOf(name)}
      aria-hidden="true"
    />
  );
}

interface TileProps {
  readonly name: string;
  /** What the colour follows from, so that it stays. */
  readonly seed: string;
}

const TONES = 6;

/** The sign of a vault: its first letter on a colour of its own. */
export function Tile({ name, seed }: TileProps) {
  return <span className={styles.tile} data-tone={toneOf(seed)} data-initial={initialOf(name)} aria-hidden="true" />;
}

function toneOf(seed: string): number {
  return [...seed].reduce((sum, char) => (sum * 31 + (char.codePointAt(0) ?? 0)) % 9973, 0) % TONES;
}

function initialOf(name: string): string {
  return [...name.trim()][0]?.toLocaleUpperCase() ?? '·';
}

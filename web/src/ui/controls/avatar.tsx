import styles from './avatar.module.css';

interface AvatarProps {
  readonly name: string;
  /** One on which white is read; else that of the app. */
  readonly color?: string;
  /** Text from which the colour is derived, so that it stays the same; without it, the app's colour. */
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
  /** Text from which the colour is derived, so that it stays the same. */
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

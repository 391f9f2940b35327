import styles from './avatar.module.css';

interface AvatarProps {
  readonly name: string;
  /** One on which white is read; else that of the app. */
  readonly color?: string;
}

/** The first letter of somebody, beside their name or with a title of its own. */
export function Avatar({ name, color }: AvatarProps) {
  return (
    <span
      className={styles.avatar}
      style={color === undefined ? undefined : { background: color }}
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
  const tone = [...seed].reduce((sum, char) => (sum * 31 + (char.codePointAt(0) ?? 0)) % 9973, 0) % TONES;
  return <span className={styles.tile} data-tone={tone} data-initial={initialOf(name)} aria-hidden="true" />;
}

function initialOf(name: string): string {
  return [...name.trim()][0]?.toLocaleUpperCase() ?? '·';
}

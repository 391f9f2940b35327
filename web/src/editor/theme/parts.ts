/** Style of fields and buttons within the editor. */
export const control = {
  font: 'inherit',
  color: 'var(--text)',
  background: 'var(--raised)',
  border: '1px solid var(--line)',
  borderRadius: 'var(--radius)',
  padding: 'var(--s2) var(--s3)',
  minHeight: 'var(--target)',
};

/** Style of a button that looks like the text around it. */
export const plain = { background: 'none', border: '0', font: 'inherit', color: 'inherit', padding: '0' };

/** Style of elements that float above the page. */
export const floating = {
  border: '1px solid var(--hairline)',
  borderRadius: 'var(--radius-card)',
  background: 'var(--raised)',
  color: 'var(--text)',
  boxShadow: 'var(--shadow)',
};

export const focusRing = { outline: '2px solid var(--accent)', outlineOffset: '2px' };

/** Styles of headings by level, including HTML headings. */
export const headings = [
  { fontSize: 'var(--h1)', fontWeight: '680', lineHeight: '1.15', letterSpacing: '-0.022em' },
  { fontSize: 'var(--h2)', fontWeight: '650', lineHeight: '1.3', letterSpacing: '-0.014em' },
  { fontSize: 'var(--h3)', fontWeight: '640', lineHeight: '1.3', letterSpacing: '-0.01em' },
  { fontSize: '1em', fontWeight: '640', lineHeight: '1.4' },
] as const;

/** Style of monospaced text, reduced because it looks larger than the text around it. */
export const code = { fontFamily: 'var(--font-code)', fontSize: '0.86em', fontWeight: '450' };

/** Style of icons drawn as lines in the text colour. */
export const icon = {
  width: '18px',
  height: '18px',
  fill: 'none',
  stroke: 'currentColor',
  strokeWidth: '1.6',
  strokeLinecap: 'round',
  strokeLinejoin: 'round',
};

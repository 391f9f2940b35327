export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const STORED = 'notevault-theme';

/** The theme chosen in this browser. */
export function storedTheme(): Theme {
  const stored = localStorage.getItem(STORED);
  return THEMES.find((theme) => theme === stored) ?? 'system';
}

export function setTheme(theme: Theme): void {
  localStorage.setItem(STORED, theme);
  apply(theme);
}

/** Applies the theme, also when another tab changes it. */
export function startTheme(): void {
  apply(storedTheme());
  addEventListener('storage', ({ key }) => {
    if (key === STORED) apply(storedTheme());
  });
}

function apply(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === 'system') delete dataset.theme;
  else dataset.theme = theme;
}

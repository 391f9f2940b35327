import type { Device } from './device.ts';

/** The app's platform information (api: Platform). */
export const Platform = {
  isDesktop: true,
  isDesktopApp: true,
  isMobile: false,
  isMobileApp: false,
  isPhone: false,
  isTablet: false,
  isIosApp: false,
  isAndroidApp: false,
  isMacOS: false,
  isWin: false,
  isLinux: true,
};

let version = '1.12.3';
let language = 'en';

export function useDevice({ platform }: Device): void {
  const isMobile = platform !== 'desktop';
  Object.assign(Platform, {
    isDesktop: !isMobile,
    isDesktopApp: !isMobile,
    isMobile,
    isMobileApp: isMobile,
    isPhone: isMobile,
    isIosApp: platform === 'ios',
    isAndroidApp: platform === 'android',
    isLinux: !isMobile,
  });
}

export function setApiVersion(of: string): void {
  version = of;
}

/** Returns whether the app is at least of a version (api: requireApiVersion). */
export function requireApiVersion(least: string): boolean {
  const [here, there] = [version, least].map((one) => one.split('.').map(Number));
  for (const [at, number] of (there ?? []).entries()) {
    if ((here?.[at] ?? 0) !== number) return (here?.[at] ?? 0) > number;
  }
  return true;
}

export function setLanguage(of: string): void {
  language = of;
}

export function getLanguage(): string {
  return language;
}

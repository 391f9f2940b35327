import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { startTranslation } from './i18n/i18n.ts';
import { session } from './session/app-session.ts';
import { isOwnDevice } from './session/own-device.ts';
import { loadFonts } from './ui/fonts.ts';
import { startTheme } from './ui/theme.ts';
import './ui/styles/fonts.css';
import './ui/styles/tokens.css';
import './ui/styles/base.css';
import './ui/styles/skeleton.css';

startTheme();
if (isOwnDevice()) void session.start();
else void import('./device/tab-session.ts').then(({ startInTab }) => startInTab());
if (!isSecureContext) await import('./platform/random-uuid.ts');
await startTranslation();
const element = document.getElementById('app');
if (element !== null) {
  createRoot(element).render(<App />);
  loadFonts();
}

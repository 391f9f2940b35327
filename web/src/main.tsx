import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { startTheme } from './app/theme.ts';
import { startTranslation } from './i18n/i18n.ts';
import { session } from './session/app-session.ts';
import './styles/tokens.css';
import './styles/base.css';

// Browsers have it in secure contexts only, and a server at home is often opened by its address.
crypto.randomUUID ??= () => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};

startTheme();
void session.start();
await startTranslation();
const element = document.getElementById('app');
if (element !== null) createRoot(element).render(<App />);

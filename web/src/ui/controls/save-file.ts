/** Saves bytes as a file through the browser. */
export function saveFile(name: string, bytes: Blob): void {
  const url = URL.createObjectURL(bytes);
  saveAddress(name, url);
  // The browser has its own reference by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Downloads an address through the browser. */
export function saveAddress(name: string, address: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
}

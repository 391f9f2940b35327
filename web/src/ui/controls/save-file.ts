/** Has the browser save bytes as a file. */
export function saveFile(name: string, bytes: Blob): void {
  const url = URL.createObjectURL(bytes);
  saveAddress(name, url);
  // The browser has its own reference by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Has the browser download what is at an address. */
export function saveAddress(name: string, address: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
}

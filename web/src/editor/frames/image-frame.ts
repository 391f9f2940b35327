import { listen, type Reply } from './frame-messages.ts';

// Shows one image of another server, in a frame that may load images and nothing else.
listen(({ url, alt }): Promise<Reply> => {
  const image = new Image();
  image.alt = typeof alt === 'string' ? alt : '';
  image.referrerPolicy = 'no-referrer';
  image.style.maxWidth = '100%';
  document.body.replaceChildren(image);
  return new Promise((resolve, reject) => {
    image.onload = () =>
      resolve({ type: 'drawn', width: image.naturalWidth, height: image.getBoundingClientRect().height });
    image.onerror = () => reject(new Error('the image could not be loaded'));
    // Only web URLs: the page sends nothing else, but messages may come from anywhere.
    if (typeof url === 'string' && /^https?:\/\//i.test(url)) image.src = url;
    else reject(new Error('not an address of the web'));
  });
});

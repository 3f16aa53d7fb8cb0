import { type Basedrive, uploadByLink } from '../../src/index.js';

/** A gallery: visitors send pictures by a link, and pages show the newest. */
export function openGallery({ Drive }: Basedrive) {
  const photos = Drive('photos');

  return {
    /** What the page of a visitor gets: an address for one picture of any size. */
    async invite(name: string): Promise<string> {
      const { url } = await photos.uploadLink(name, {
        expireIn: 3600,
        parts: true,
        maxBytes: 200 * 1024 * 1024,
        contentType: 'image/*',
      });
      return url;
    },

    /** Runs in the page of the visitor, which has no key. It goes on where it was when it is called again. */
    async send(link: string, picture: Blob): Promise<void> {
      await uploadByLink(link, picture);
    },

    /** Notes who took a picture, and what it shows. */
    async describe(name: string, by: string, title: string): Promise<void> {
      await photos.change(name, { metadata: { by, title } });
    },

    /** The newest pictures, with addresses that work for an hour. */
    async newest(count: number) {
      const { files = [] } = await photos.list({ details: true, order: '-modified', limit: count });
      const links = await photos.links(
        files.map(({ name }) => name),
        { expireIn: 3600 },
      );
      return files.map(({ name, size, metadata }, at) => ({ name, size, ...metadata, url: links[at]?.url }));
    },
  };
}

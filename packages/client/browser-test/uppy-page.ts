import AwsS3 from '@uppy/aws-s3';
import { Uppy } from '@uppy/core';

// What an application with Uppy does in its page; its backend signs.

/** A file of the page. */
export interface Sent {
  readonly name: string;
  readonly size: number;
  readonly inParts: boolean;
}

export async function upload({ name, size, inParts }: Sent) {
  const uppy = new Uppy();
  uppy.use(AwsS3, {
    shouldUseMultipart: inParts,
    generateObjectKey: (file) => `from uppy/${file.name}`,
    async signRequest(request) {
      const answer = await fetch('/sign', { method: 'POST', body: JSON.stringify(request) });
      return (await answer.json()) as { url: string };
    },
  });
  const bytes = new Uint8Array(size).map((_, n) => n % 251);
  let sent = 0;
  uppy.on('upload-progress', (_, { bytesUploaded }) => {
    sent = Math.max(sent, Number(bytesUploaded));
  });
  uppy.addFile({ name, type: 'image/png', data: new Blob([bytes], { type: 'image/png' }) });
  const { successful = [], failed = [] } = (await uppy.upload()) ?? {};
  return { successful: successful.length, failed: failed.map(({ error }) => String(error)), sent };
}

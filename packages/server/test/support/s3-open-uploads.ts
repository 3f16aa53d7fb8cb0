import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { openS3Client } from '../../src/engines/s3/client.js';
import type { S3Options } from '../../src/engines/s3/options.js';

/** The keys of all multipart uploads of the bucket that are neither completed nor aborted. */
export async function openUploads(options: S3Options): Promise<readonly (string | undefined)[]> {
  const client = openS3Client(options);
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: options.bucket }));
  client.destroy();
  return Uploads.map(({ Key }) => Key);
}

import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { openS3Client } from '../../src/engines/s3/client.js';
import type { S3Options } from '../../src/engines/s3/options.js';

/** The keys of the uploads in parts that are neither complete nor ended, of the whole bucket. */
export async function openUploads(options: S3Options): Promise<readonly (string | undefined)[]> {
  const client = openS3Client(options);
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: options.bucket }));
  client.destroy();
  return Uploads.map(({ Key }) => Key);
}

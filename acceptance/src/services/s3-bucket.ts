import { createHash, createHmac } from 'node:crypto';

export interface S3Access {
  readonly endpoint: string;
  readonly region: string;
  readonly access: string;
  readonly secret: string;
}

/** Sends `PUT /bucket`, signed with AWS Signature Version 4. It is the only S3 call that the tests make themselves. */
export async function createBucket(
  { endpoint, region, access, secret }: S3Access,
  bucket: string,
): Promise<void> {
  const { host } = new URL(endpoint);
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const day = time.slice(0, 8);
  const emptyHash = sha256('');
  const signed = 'host;x-amz-content-sha256;x-amz-date';
  const head = `host:${host}\nx-amz-content-sha256:${emptyHash}\nx-amz-date:${time}\n`;
  const request = ['PUT', `/${bucket}`, '', head, signed, emptyHash].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(request)].join('\n');
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secret}`);
  const signature = hmac(key, toSign).toString('hex');
  const answer = await fetch(`${endpoint}/${bucket}`, {
    method: 'PUT',
    headers: {
      'x-amz-content-sha256': emptyHash,
      'x-amz-date': time,
      authorization: `AWS4-HMAC-SHA256 Credential=${access}/${scope}, SignedHeaders=${signed}, Signature=${signature}`,
    },
  });
  if (!answer.ok) throw new Error(`The bucket was not created: ${answer.status} ${await answer.text()}`);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

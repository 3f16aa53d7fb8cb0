import { serviceAddress } from '../api/address.js';

export type Recipe = 'aws' | 'rclone';

export interface RecipeValues {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The bucket of the examples. */
  readonly bucket?: string;
}

/** Where S3 clients find the service: at its address, without a path. */
export function s3Endpoint(): string {
  return new URL(serviceAddress).origin;
}

/** Commands of a shell that make a bucket, fill it from a folder, and list it. */
export function recipeOf(
  name: Recipe,
  { accessKeyId, secretAccessKey, bucket = 'photos' }: RecipeValues,
): string {
  const endpoint = s3Endpoint();
  if (name === 'rclone') {
    return `rclone config create here s3 provider=Other endpoint=${endpoint} \\
  access_key_id=${accessKeyId} \\
  secret_access_key=${secretAccessKey}
rclone mkdir here:${bucket}
rclone sync ./${bucket} here:${bucket}
rclone ls here:${bucket}`;
  }
  return `export AWS_ACCESS_KEY_ID=${accessKeyId}
export AWS_SECRET_ACCESS_KEY=${secretAccessKey}
export AWS_DEFAULT_REGION=us-east-1
export AWS_ENDPOINT_URL=${endpoint}
aws s3 mb s3://${bucket}
aws s3 sync ./${bucket} s3://${bucket}
aws s3 ls s3://${bucket} --recursive`;
}

/** The bucket that stores the bytes of files, images and long inputs. */
export interface S3Options {
  readonly bucket: string;
  /** The address of an S3-compatible server. @default AWS */
  readonly endpoint?: string;
  /** @default "us-east-1" */
  readonly region?: string;
  /** The beginning of each key, for example `capstan/`. @default none */
  readonly prefix?: string;
}

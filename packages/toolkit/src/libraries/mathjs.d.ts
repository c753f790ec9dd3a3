// The library has no types for this file.
declare module "mathjs/lib/browser/math.js" {
  import type * as mathjs from "mathjs";

  const math: typeof mathjs;
  export default math;
}

import { RequestError } from "../http/errors.ts";

/** Returns the error for a model that does not exist. */
export function unknownModel(model: string): RequestError {
  const message = `The model '${model.slice(0, 200)}' does not exist here. GET /v1/models lists the models.`;
  return new RequestError({ param: "model", code: "model_not_found", message });
}

export { call, callForText, fakeContext, toolOf } from "./fake-context.ts";
export { FakeClock } from "./fake-clock.ts";
export {
  type ScriptedAnswer,
  type ScriptedCall,
  ScriptedModel,
  type ScriptedStep,
} from "./scripted-model.ts";

import assert from "node:assert/strict";
import { test } from "node:test";
import { shareAddress, tokenOfAddress } from "./share-link.ts";

test("a link's address has its token only in the fragment", () => {
  const token = `share_${"a-_".repeat(14)}Z`;
  const address = new URL(shareAddress("https://capstan.example/chat/?x=1#/c/conv_1", token));
  assert.equal(address.href.split("#")[0], "https://capstan.example/chat/");
  assert.equal(tokenOfAddress(address.hash), token);
});

test("other addresses are not links", () => {
  for (const hash of ["", "#/", "#/c/conv_1", "#share=", "#share=share_short", "#pair=share_"])
    assert.equal(tokenOfAddress(hash), undefined);
});

// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {IDepositRouter, Order, Step} from "./support/IDepositRouter.sol";
import {RouterTest} from "./support/RouterTest.sol";
import {Token, Traits} from "./support/Tokens.sol";
import {BehaviourVault, Mode} from "./support/Vaults.sol";

/// @notice Records its calls; returns or reverts as configured.
contract Recorder {
    bytes public lastData;
    uint256 public lastValue;
    address public lastSender;
    uint256 public allowanceSeen;

    Token public watched;
    bytes public failure;
    bool public fails;

    function watch(Token token) external {
        watched = token;
    }

    function failWith(bytes calldata reason) external {
        (fails, failure) = (true, reason);
    }

    fallback() external payable {
        (lastData, lastValue, lastSender) = (msg.data, msg.value, msg.sender);
        if (address(watched) != address(0)) allowanceSeen = watched.allowance(msg.sender, address(this));
        bytes memory reason = failure;
        if (!fails) return;
        assembly {
            revert(add(reason, 32), mload(reason))
        }
    }
}

/// @notice Returns or reverts with a megabyte of zeroes.
contract Bomb {
    bool private immutable REVERTS;

    constructor(bool reverts) {
        REVERTS = reverts;
    }

    fallback() external {
        bool reverts = REVERTS;
        assembly {
            if reverts { revert(0, 1000000) }
            return(0, 1000000)
        }
    }
}

/// @notice Allowed targets of a step, its approvals and patches, and the result of a failure.
contract StepsTest is RouterTest {
    Recorder internal recorder;

    function setUp() public override {
        super.setUp();
        recorder = new Recorder();
    }

    function _recorded(Step memory step) private returns (bytes memory) {
        run(simple(100e18), two(step, vaultStep(address(token), address(vault), bob)));
        return recorder.lastData();
    }

    function test_targetsOfOursAndPermit2AreRefused() external {
        vm.etch(PERMIT2, hex"00");
        address[4] memory refused = [address(router), implementation, nextClone(), PERMIT2];
        for (uint256 i = 0; i < 4; ++i) {
            stepExpecting(
                abi.encodeWithSelector(IDepositRouter.StepTargetForbidden.selector, 0, refused[i]), callStep(refused[i], "")
            );
        }
    }

    function test_targetsWithoutCodeAreRefused() external {
        address[4] memory codeless = [mallory, address(0), address(1), address(9)];
        for (uint256 i = 0; i < 4; ++i) {
            stepExpecting(
                abi.encodeWithSelector(IDepositRouter.StepTargetWithoutCode.selector, 0, codeless[i]),
                callStep(codeless[i], "")
            );
        }
    }

    function test_anEarlierCloneCannotBeDriven() external {
        address old = nextClone();
        run(simple(10e18), into(address(vault)));
        Step[] memory nothing;
        bytes memory refused = abi.encodeWithSelector(IDepositRouter.OnlyRouter.selector);
        Step memory drives = callStep(old, driveData(nothing, address(token)));
        runExpecting(stepFailed(0, refused), simple(10e18), one(drives));
    }

    function test_shortAndEmptyCalldataArePassedOn() external {
        eq(_recorded(callStep(address(recorder), "")), "", "empty");
        eq(_recorded(callStep(address(recorder), hex"abcdef")), hex"abcdef", "three bytes");
    }

    function test_calldataIsPassedOnUntouchedWithoutPatches() external {
        Step memory step = callStep(address(recorder), hex"11223344556677");
        eq(_recorded(step), hex"11223344556677", "word for word");
        eq(recorder.lastSender(), vm.computeCreateAddress(address(router), vm.getNonce(address(router)) - 1), "clone");
    }

    function test_patchWritesExactlyOneWord() external {
        bytes memory filled = new bytes(100);
        for (uint256 i = 0; i < 100; ++i) {
            filled[i] = 0xff;
        }
        Step memory step = callStep(address(recorder), filled);
        step.patches = patch(address(token), 36);
        bytes memory seen = _recorded(step);
        eq(seen.length, 100, "length");
        for (uint256 i = 0; i < 100; ++i) {
            bytes32 word = bytes32(uint256(100e18));
            ok(seen[i] == (i >= 36 && i < 68 ? word[i - 36] : bytes1(0xff)), "neighbours keep their bytes");
        }
    }

    function test_patchAtTheFirstAndTheLastPossibleOffset() external {
        Step memory step = callStep(address(recorder), bytes.concat(hex"aabbccdd", bytes32(MAX), bytes32(MAX)));
        step.patches = patch(address(token), 4);
        eq(_recorded(step), bytes.concat(hex"aabbccdd", bytes32(uint256(100e18)), bytes32(MAX)), "first");
        step.patches = patch(address(token), 36);
        eq(_recorded(step), bytes.concat(hex"aabbccdd", bytes32(MAX), bytes32(uint256(100e18))), "last");
    }

    function test_patchOutsideTheArgumentsIsRefused() external {
        uint256[8] memory offsets = [uint256(0), 1, 2, 3, 37, 68, MAX - 31, MAX];
        for (uint256 i = 0; i < offsets.length; ++i) {
            Step memory step = callStep(address(recorder), bytes.concat(hex"aabbccdd", bytes32(MAX), bytes32(MAX)));
            step.patches = patch(address(token), offsets[i]);
            stepExpecting(abi.encodeWithSelector(IDepositRouter.StepPatchOutOfBounds.selector, 0, offsets[i], 68), step);
        }
    }

    function test_patchOfCalldataWithoutRoomIsRefused() external {
        for (uint256 length = 0; length < 36; ++length) {
            Step memory step = callStep(address(recorder), new bytes(length));
            step.patches = patch(address(token), 4);
            stepExpecting(abi.encodeWithSelector(IDepositRouter.StepPatchOutOfBounds.selector, 0, 4, length), step);
        }
    }

    function test_patchFactorScales() external {
        Step memory step = callStep(address(recorder), bytes.concat(hex"aabbccdd", bytes32(0)));
        step.patches = patch(address(token), 4);
        uint256[3] memory factors = [uint256(0), 1, 1e12];
        uint256[3] memory expected = [uint256(100e18), 100e18, 100e30];
        for (uint256 i = 0; i < 3; ++i) {
            step.patches[0].mul = factors[i];
            eq(_recorded(step), bytes.concat(hex"aabbccdd", bytes32(expected[i])), "product");
        }
    }

    function test_patchFactorThatOverflowsIsRefused() external {
        Step memory step = callStep(address(recorder), bytes.concat(hex"aabbccdd", bytes32(0)));
        step.patches = patch(address(token), 4, MAX / 100e18 + 1, 0);
        stepExpecting(abi.encodeWithSelector(IDepositRouter.StepPatchOverflow.selector, 0), step);
    }

    function test_patchOfAnUnreadableTokenIsRefused() external {
        Step memory step = callStep(address(recorder), bytes.concat(hex"aabbccdd", bytes32(0)));
        step.patches = patch(mallory, 4);
        stepExpecting(tokenFailed(mallory, bytes("")), step);
    }

    function test_approvalIsTheWholeBalanceAndGoneAfterwards() external {
        recorder.watch(token);
        address clone = nextClone();
        Step memory step = callStep(address(recorder), "");
        (step.approveToken, step.spender) = (address(token), address(recorder));
        _recorded(step);
        eq(recorder.allowanceSeen(), 100e18, "exactly what the clone held");
        eq(token.allowance(clone, address(recorder)), 0, "taken back");
    }

    function test_approvalOfOneSpenderIsNotSeenByAnother() external {
        recorder.watch(token);
        Step memory step = callStep(address(recorder), "");
        (step.approveToken, step.spender) = (address(token), mallory);
        _recorded(step);
        eq(recorder.allowanceSeen(), 0, "the target was not the spender");
    }

    function test_noApprovalOfNothing() external {
        Traits memory traits;
        traits.noZeroApprove = true;
        Token bnb = new Token(18, traits);
        Step memory step = callStep(address(recorder), "");
        (step.approveToken, step.spender) = (address(bnb), address(recorder));
        _recorded(step);
    }

    function test_approvalOfAnUnreadableTokenIsRefused() external {
        Step memory step = callStep(address(recorder), "");
        (step.approveToken, step.spender) = (mallory, address(recorder));
        stepExpecting(tokenFailed(mallory, bytes("")), step);
    }

    function test_approvalOnTopOfOneThatAStepLeft() external {
        Traits memory traits;
        (traits.noReturn, traits.approveFromZeroOnly) = (true, true);
        Token usdt = new Token(6, traits);
        fund(usdt, alice, 100e6);
        BehaviourVault honest = new BehaviourVault(address(usdt), Mode.Honest);
        Step memory leaves = callStep(address(usdt), abi.encodeCall(Token.approve, (address(honest), 1)));
        Order memory d = depositOf(address(usdt), 100e6, address(honest));
        address clone = nextClone();
        run(d, two(leaves, vaultStep(address(usdt), address(honest), bob)));
        eq(honest.balanceOf(bob), 100e6, "set to zero first");
        eq(usdt.allowance(clone, address(honest)), 0, "and gone afterwards");
    }

    function test_approvalOnTopOfOneIsTriedAgainAlsoWhenTheTokenOnlySaysFalse() external {
        Traits memory traits;
        (traits.falseForFailure, traits.approveFromZeroOnly) = (true, true);
        Token polite = new Token(18, traits);
        fund(polite, alice, 100e18);
        BehaviourVault honest = new BehaviourVault(address(polite), Mode.Honest);
        Step memory leaves = callStep(address(polite), abi.encodeCall(Token.approve, (address(honest), 1)));
        run(
            depositOf(address(polite), 100e18, address(honest)),
            two(leaves, vaultStep(address(polite), address(honest), bob))
        );
        eq(honest.balanceOf(bob), 100e18, "set to zero first");
    }

    function test_tokenThatSaysFalseToApproveIsRefused() external {
        Traits memory traits;
        traits.falseAlways = true;
        Token denying = new Token(18, traits);
        denying.mint(nextClone(), 1);
        Step memory step = callStep(address(recorder), "");
        (step.approveToken, step.spender) = (address(denying), address(recorder));
        stepExpecting(tokenFailed(address(denying), abi.encode(false)), step);
    }

    function test_valueIsExactOrEverything() external {
        vm.deal(alice, 10 ether);
        uint256[3] memory values = [uint256(0), 3 ether, MAX];
        uint256[3] memory expected = [uint256(0), 3 ether, 10 ether];
        for (uint256 i = 0; i < 3; ++i) {
            uint256 id = vm.snapshotState();
            Step memory step = callStep(address(recorder), "");
            step.value = values[i];
            Step memory mint = callStep(address(token), abi.encodeCall(Token.mint, (bob, 1)));
            vm.prank(alice);
            router.execute{value: 10 ether}(depositOf(NATIVE, 10 ether, address(token)), two(step, mint), none());
            eq(recorder.lastValue(), expected[i], "sent");
            eq(carol.balance, 10 ether - expected[i], "the rest is refunded");
            vm.revertToState(id);
        }
    }

    function test_moreValueThanThereIsFails() external {
        Step memory step = callStep(address(recorder), "");
        step.value = 1;
        stepExpecting(stepFailed(0, bytes("")), step);
    }

    function test_failureWithoutReasonNamesTheTarget() external {
        recorder.failWith("");
        stepExpecting(
            stepFailed(0, bytes("")), callStep(address(recorder), "")
        );
    }

    function test_failureIsPassedOnWordForWord() external {
        bytes memory reason = abi.encodeWithSignature("DepositCapExceeded(uint256,string)", 42, "of the vault");
        recorder.failWith(reason);
        stepExpecting(stepFailed(0, reason), callStep(address(recorder), ""));
    }

    function test_failureOfALaterStepUndoesTheEarlier() external {
        Step memory breaks = callStep(address(recorder), "");
        recorder.failWith("no");
        runExpecting(stepFailed(1, bytes("no")), simple(100e18), two(vaultStep(address(token), address(vault), bob), breaks));
        eq(vault.balanceOf(bob), 0, "no shares");
        eq(token.balanceOf(alice), 1_000e18, "sender keeps the money");
    }

    function test_revertedMegabyteIsCutOff() external {
        Step[] memory steps = one(callStep(address(new Bomb(true)), ""));
        vm.prank(alice);
        (bool done, bytes memory reason) =
            address(router).call(abi.encodeCall(IDepositRouter.execute, (simple(1e18), steps, none())));
        ok(!done, "reverted");
        eq(reason.length, stepFailed(0, new bytes(4_096)).length, "capped");
    }

    function test_returnedMegabyteIsNotCopied() external {
        Step memory bomb = callStep(address(new Bomb(false)), "");
        uint256 plain = gasleft();
        run(simple(1e18), into(address(vault)));
        plain -= gasleft();
        uint256 bombed = gasleft();
        run(simple(1e18), two(bomb, vaultStep(address(token), address(vault), bob)));
        bombed -= gasleft();
        // Expanding memory to a megabyte costs 2.05 million gas: once in the target, never in the clone.
        ok(bombed - plain < 2_200_000, "paid for once");
    }
}

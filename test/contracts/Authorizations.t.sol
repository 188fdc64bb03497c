// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {FiatToken} from "../../scripts/stack/contracts/authorization/FiatToken.sol";
import {Permit2} from "../../scripts/stack/contracts/authorization/Permit2.sol";
import {IDepositRouter, Order, Patch, Step} from "./support/IDepositRouter.sol";
import {Intruder} from "./support/Intruder.sol";
import {ContractWallet, SignedOrders} from "./support/SignedOrders.sol";
import {Token, Traits} from "./support/Tokens.sol";
import {BehaviourVault, Mode, OpenZeppelinVault} from "./support/Vaults.sol";

/// @notice A token that holds nothing and answers every other call with nothing, or refuses it at length.
contract Refusing {
    mapping(address => uint256) public balanceOf;
    bool private immutable LOUD;

    constructor(bool loud) {
        LOUD = loud;
    }

    fallback() external {
        bytes memory long = new bytes(5_000);
        if (!LOUD) return;
        assembly {
            revert(add(long, 32), mload(long))
        }
    }
}

/// @notice A token with authorisations of which a hundredth does not arrive. It checks no signature.
contract TaxedAuthorizations is Token(6, Traits(false, false, false, false, false, false, false, false, false, false, false, 0, 0, 0)) {
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256,
        uint256,
        bytes32,
        uint8,
        bytes32,
        bytes32
    ) external {
        burn(from, value);
        mint(to, value - value / 100);
    }
}

/// @notice The three ways to pay by signature: what they bind, and what they refuse.
contract AuthorizationsTest is SignedOrders {
    function _expectDeposited(uint256 amount) private view {
        eq(fiatVault.balanceOf(owner), amount, "shares");
        eq(usdc.balanceOf(owner), 1_000e6 - amount, "the owner paid");
        eq(usdc.balanceOf(address(router)), 0, "the Router holds nothing");
        eq(usdc.allowance(owner, address(router)), 0, "nor has it an allowance");
    }

    function _run(bool byPermit2, Order memory d) private returns (bool done, bytes memory answer) {
        bytes memory sig = signatureOf(byPermit2, d, signedSteps(), none());
        return submit(submission(byPermit2, d, signedSteps(), none(), sig));
    }

    function test_standInsHaveTheKnownDomains() external {
        address mainnetUsdc = 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48;
        vm.etch(mainnetUsdc, address(usdc).code);
        FiatToken(mainnetUsdc).initialize("USD Coin", "USDC", 6, "2");
        vm.chainId(1);
        eq(
            FiatToken(mainnetUsdc).DOMAIN_SEPARATOR(),
            0x06c37168a7db5138defc7866392bb87a741f9b3d104deb5094588ce041cae335,
            "USDC on Ethereum"
        );
        eq(
            permit2.DOMAIN_SEPARATOR(),
            0x866a5aba21966af95d6c7ab78eb2b2fc913915c28be3b9aa07cc04ff903e3f28,
            "Permit2 on Ethereum"
        );
        eq(
            usdc.RECEIVE_WITH_AUTHORIZATION_TYPEHASH(),
            0xd099cc98ef71107a616c4f0f941f04c322d8e254fe26b3c6668db87aae413de8,
            "type"
        );
        vm.chainId(8453);
        eq(
            permit2.DOMAIN_SEPARATOR(),
            0x3b6f35e4fce979ef8eac3bcdc8c3fc38fe7911bb0c69c8fe72bf1fd1a17e6f07,
            "Permit2 on Base"
        );
    }

    function test_anybodySubmitsAndTheOwnerIsThePayer() external {
        approvePermit2();
        for (uint256 i = 0; i < 2; ++i) {
            uint256 id = vm.snapshotState();
            Order memory d = signedOrder(100e6);
            d.minIn = 100e6;
            vm.expectEmit(address(router));
            emit IDepositRouter.OrderExecuted(
                "ref", "partner", owner, owner, address(usdc), address(fiatVault), 100e6, 100e6, 7
            );
            (bool done, bytes memory answer) = _run(i == 1, d);
            ok(done, "submitted by a stranger");
            eq(abi.decode(answer, (uint256)), 100e6, "output");
            _expectDeposited(100e6);
            vm.revertToState(id);
        }
    }

    function _mutant(uint256 kind, Order memory d, Step[] memory steps)
        private
        view
        returns (Order memory, Step[] memory, address[] memory)
    {
        address[] memory sweep = kind == 30 ? only(mallory) : only(address(token));
        if (kind == 0) (d.tokenIn, d.amountIn) = (address(token), d.amountIn);
        if (kind == 1) d.amountIn += 1;
        if (kind == 2) d.amountIn -= 1;
        if (kind == 3) d.minIn -= 1;
        if (kind == 4) d.nativeFee = 1;
        if (kind == 5) d.tokenOut = address(vault);
        if (kind == 6) d.receiver = mallory;
        if (kind == 7) d.minOut -= 1;
        if (kind == 8) d.minOutPerIn = 1;
        if (kind == 9) d.deadline += 1;
        if (kind == 10) d.deadline -= 1;
        if (kind == 11) d.direct = false;
        if (kind == 12) d.refundTo = mallory;
        if (kind == 13) d.ref = "other";
        if (kind == 14) d.partnerId = "other";
        if (kind == 15) d.partnerType = 6;
        if (kind == 16) steps[0].target = address(token);
        if (kind == 17) steps[0].value = MAX;
        if (kind == 18) steps[0].approveToken = address(token);
        if (kind == 19) steps[0].spender = mallory;
        if (kind == 20) steps[0].needToken = address(usdc);
        if (kind == 21) steps[0].needAmount = 1;
        if (kind == 22) steps[0].patches[0].offset = 36;
        if (kind == 23) steps[0].patches[0].token = address(0);
        if (kind == 24) steps[0].patches[0].mul = 1;
        if (kind == 25) steps[0].patches[0].div = 1;
        if (kind == 26) steps[0].patches = new Patch[](0);
        if (kind == 27) steps[0].data = bytes.concat(steps[0].data, hex"00");
        if (kind == 28) steps = two(steps[0], callStep(address(token), ""));
        if (kind == 29) steps = new Step[](0);
        if (kind == 31) sweep = none();
        if (kind == 32) steps[0].data[35] = 0x01;
        return (d, steps, sweep);
    }

    function test_eachSingleChangeOfASignedOrderIsRefused() external {
        approvePermit2();
        for (uint256 kind = 0; kind < 66; ++kind) {
            bool byPermit2 = kind % 2 == 1;
            Order memory d = signedOrder(100e6);
            (d.minIn, d.minOut) = (100e6, 90e6);
            bytes memory sig = signatureOf(byPermit2, d, signedSteps(), only(address(token)));
            (Order memory changed, Step[] memory steps, address[] memory sweep) =
                _mutant(kind / 2, signedOrderCopy(d), signedSteps());
            (bool done, bytes memory answer) = submit(submission(byPermit2, changed, steps, sweep, sig));
            ok(!done, "refused");
            bytes4 why = bytes4(answer);
            bool fee = kind / 2 == 4;
            ok(
                why
                    == (fee
                            ? IDepositRouter.NativeFeeForbidden.selector
                            : IDepositRouter.AuthorizationFailed.selector),
                "by the signature"
            );
            eq(usdc.balanceOf(owner), 1_000e6, "nothing paid");
            (done,) = submit(submission(byPermit2, d, signedSteps(), only(address(token)), sig));
            ok(done, "while the order as signed runs");
            setUpOwner();
        }
    }

    function signedOrderCopy(Order memory d) private pure returns (Order memory copy) {
        copy = abi.decode(abi.encode(d), (Order));
    }

    /// @dev Gives the owner back what the last order took, and a time at which a new order has a new digest.
    function setUpOwner() private {
        usdc.mint(owner, 100e6);
        vm.warp(block.timestamp + 1);
    }

    function test_aSignedOrderRunsOnce() external {
        approvePermit2();
        for (uint256 i = 0; i < 2; ++i) {
            Order memory d = signedOrder(100e6);
            bytes memory sig = signatureOf(i == 1, d, signedSteps(), none());
            bytes memory data = submission(i == 1, d, signedSteps(), none(), sig);
            (bool done,) = submit(data);
            ok(done, "first");
            bytes memory answer;
            (done, answer) = submit(data);
            ok(!done, "second");
            eq(bytes32(bytes4(answer)), bytes32(IDepositRouter.AuthorizationFailed.selector), "the nonce is used");
        }
        eq(fiatVault.balanceOf(owner), 200e6, "each once");
    }

    function test_aSignatureOfSomebodyElseIsRefused() external {
        usdc.mint(victim, 100e6);
        vm.prank(victim);
        usdc.approve(PERMIT2, MAX);
        for (uint256 i = 0; i < 2; ++i) {
            Order memory d = signedOrder(100e6);
            bytes memory sig = signatureOf(i == 1, d, signedSteps(), none());
            (bool done,) = submit(submissionOf(i == 1, victim, d, signedSteps(), none(), sig));
            ok(!done, "the owner did not sign");
            (done,) = submit(submission(i == 1, d, signedSteps(), none(), new bytes(65)));
            ok(!done, "nor is nothing a signature");
        }
        eq(usdc.balanceOf(victim), 100e6, "the victim has all");
    }

    function test_anotherChainAndAnotherRouterAreRefused() external {
        approvePermit2();
        IDepositRouter other = IDepositRouter(create(vm.getCode("DepositRouter.sol:DepositRouter")));
        for (uint256 i = 0; i < 2; ++i) {
            Order memory d = signedOrder(100e6);
            bytes memory data = submission(
                i == 1, d, signedSteps(), none(), signatureOf(i == 1, d, signedSteps(), none())
            );
            (bool done,) = address(other).call(data);
            ok(!done, "another Router");
            uint256 here = block.chainid;
            vm.chainId(here + 1);
            (done,) = submit(data);
            ok(!done, "another chain");
            vm.chainId(here);
            (done,) = submit(data);
            ok(done, "its own");
        }
    }

    function test_deadlineOfASignedOrderIsItsLastSecond() external {
        approvePermit2();
        for (uint256 i = 0; i < 2; ++i) {
            Order memory d = signedOrder(10e6);
            bytes memory data = submission(
                i == 1, d, signedSteps(), none(), signatureOf(i == 1, d, signedSteps(), none())
            );
            uint256 id = vm.snapshotState();
            vm.warp(d.deadline + 1);
            (bool done, bytes memory answer) = submit(data);
            eq(
                answer,
                abi.encodeWithSelector(IDepositRouter.DeadlinePassed.selector, d.deadline, d.deadline + 1),
                "a second late"
            );
            vm.revertToState(id);
            vm.warp(d.deadline);
            (done,) = submit(data);
            ok(done, "the last second");
        }
    }

    function test_aSignatureThatLivesTooLongIsRefused() external {
        approvePermit2();
        for (uint256 i = 0; i < 2; ++i) {
            Order memory d = signedOrder(10e6);
            d.deadline = block.timestamp + 1 days;
            (bool done, bytes memory answer) = _run(i == 1, d);
            ok(done, "a day");
            d.deadline += 1;
            (done, answer) = _run(i == 1, d);
            eq(
                answer,
                abi.encodeWithSelector(IDepositRouter.DeadlineTooFar.selector, d.deadline, d.deadline - 1),
                "a second more"
            );
            d.deadline = MAX;
            (done, answer) = submit(submission(i == 1, d, signedSteps(), none(), new bytes(65)));
            eq(bytes32(bytes4(answer)), bytes32(IDepositRouter.DeadlineTooFar.selector), "for ever");
        }
    }

    function _refused(Order memory d, bytes memory why) private {
        for (uint256 i = 0; i < 2; ++i) {
            (bool done, bytes memory answer) =
                submit(submission(i == 1, d, signedSteps(), none(), signatureOf(i == 1, d, signedSteps(), none())));
            ok(!done, "refused");
            eq(answer, why, "why");
        }
    }

    function test_whatASignatureCannotBindIsRefused() external {
        approvePermit2();
        Order memory d = signedOrder(100e6);
        d.tokenIn = NATIVE;
        _refused(d, abi.encodeWithSelector(IDepositRouter.NativeInForbidden.selector));
        d = signedOrder(MAX);
        _refused(d, abi.encodeWithSelector(IDepositRouter.EverythingForbidden.selector));
        d = signedOrder(100e6);
        d.nativeFee = 1;
        _refused(d, abi.encodeWithSelector(IDepositRouter.NativeFeeForbidden.selector));
        d = signedOrder(100e6);
        (d.minIn, d.minOut) = (100e6 + 1, 1);
        _refused(d, abi.encodeWithSelector(IDepositRouter.InputBelowMinimum.selector, 100e6, 100e6 + 1));
        d = signedOrder(100e6);
        d.minOut = 100e6 + 1;
        _refused(d, outputBelow(100e6, 100e6 + 1));
        d = signedOrder(100e6);
        d.receiver = address(router);
        _refused(d, abi.encodeWithSelector(IDepositRouter.ReceiverForbidden.selector, router));
        d = signedOrder(0);
        _refused(d, abi.encodeWithSelector(IDepositRouter.ZeroAmount.selector));
    }

    function test_nativeMoneyBesideASignatureIsRefused() external {
        approvePermit2();
        vm.deal(mallory, 1);
        for (uint256 i = 0; i < 2; ++i) {
            Order memory d = signedOrder(100e6);
            bytes memory sig = signatureOf(i == 1, d, signedSteps(), none());
            vm.prank(mallory);
            (bool done,) = address(router).call{value: 1}(submission(i == 1, d, signedSteps(), none(), sig));
            ok(!done, "not payable");
        }
    }

    function test_theRoutersOwnBalanceIsNotForwarded() external {
        usdc.mint(address(router), 7e6);
        (bool done,) = _run(false, signedOrder(100e6));
        ok(done, "runs");
        eq(fiatVault.balanceOf(owner), 100e6, "what was paid");
        eq(usdc.balanceOf(address(router)), 7e6, "a gift stays out of reach");
    }

    function test_whatTheExecutorWasGivenBeforeIsNoPayment() external {
        approvePermit2();
        Order memory d = signedOrder(100e6);
        d.minIn = 100e6 + 1;
        usdc.mint(nextClone(), 7e6);
        _refused(d, abi.encodeWithSelector(IDepositRouter.InputBelowMinimum.selector, 100e6, 100e6 + 1));
    }

    function test_aTokenThatSwallowsTheAuthorizationPaysNothing() external {
        Traits memory traits;
        traits.fallbackSelector = true;
        Token weth = new Token(18, traits);
        weth.mint(address(router), 100e18);
        weth.mint(owner, 100e18);
        BehaviourVault honest = new BehaviourVault(address(weth), Mode.Honest);
        Order memory d = depositOf(address(weth), 1e18, address(honest));
        Step[] memory steps = one(vaultStep(address(weth), address(honest), bob));
        for (uint256 i = 0; i < 2; ++i) {
            if (i == 1) vm.etch(PERMIT2, "");
            (bool done, bytes memory answer) = submit(submission(i == 1, d, steps, none(), new bytes(65)));
            ok(!done, "nothing arrived");
            eq(answer, authorizationFailed(""), "so it is no authorisation");
        }
        eq(weth.balanceOf(address(router)), 100e18, "nor is a gift");
    }

    function test_whatTheTokenSaysIsTheReason() external {
        usdc.setBlacklisted(owner, true);
        (, bytes memory answer) = _run(false, signedOrder(100e6));
        eq(
            answer,
            authorizationFailed(abi.encodeWithSignature("Error(string)", "Blacklistable: account is blacklisted")),
            "token"
        );
        (, answer) = _run(true, signedOrder(100e6));
        eq(
            answer,
            authorizationFailed(abi.encodeWithSignature("Error(string)", "ERC20: transfer amount exceeds allowance")),
            "Permit2 without an approval"
        );
        Refusing refusing = new Refusing(true);
        Order memory d = depositOf(address(refusing), 1, address(vault));
        (, answer) = submit(submission(false, d, into(address(vault)), none(), ""));
        eq(answer, authorizationFailed(new bytes(4_096)), "cut");
    }

    function test_signaturesOf65BytesUseTheOldOverload() external {
        Order memory d = depositOf(mallory, 1, address(vault));
        string[2] memory permits = [
            "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)",
            "permit(address,address,uint256,uint256,bytes)"
        ];
        string[2] memory receives = [
            "receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)",
            "receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)"
        ];
        uint256[4] memory lengths = [uint256(65), 64, 66, 0];
        for (uint256 i = 0; i < 4; ++i) {
            Refusing quiet = new Refusing(false);
            d.tokenIn = address(quiet);
            bytes memory sig = new bytes(lengths[i]);
            vm.expectCall(address(quiet), abi.encodePacked(bytes4(keccak256(bytes(receives[i == 0 ? 0 : 1])))));
            vm.expectCall(address(quiet), abi.encodePacked(bytes4(keccak256(bytes(permits[i == 0 ? 0 : 1])))));
            (, bytes memory answer) = submit(submission(false, d, into(address(vault)), none(), sig));
            eq(answer, authorizationFailed(""), "nothing arrives");
            (, answer) = submit(abi.encodeCall(IDepositRouter.executeWithPermit, (d, into(address(vault)), none(), sig)));
            eq(bytes32(bytes4(answer)), bytes32(IDepositRouter.InputBelowMinimum.selector), "here neither");
        }
    }

    // --- ERC-2612 ---------------------------------------------------------------------------------------------------

    function _permitted(Order memory d, bytes memory sig) private returns (bool done, bytes memory answer) {
        vm.prank(owner);
        return address(router).call(abi.encodeCall(IDepositRouter.executeWithPermit, (d, signedSteps(), none(), sig)));
    }

    function test_permitAndDepositInOneTransaction() external {
        Order memory d = signedOrder(100e6);
        (bool done,) = _permitted(d, permitOf(address(router), 100e6, d.deadline));
        ok(done, "runs");
        _expectDeposited(100e6);
    }

    function test_permitThatSomebodyRanFirstIsNoFailure() external {
        Order memory d = signedOrder(100e6);
        bytes memory sig = permitOf(address(router), 100e6, d.deadline);
        vm.prank(mallory);
        usdc.permit(owner, address(router), 100e6, d.deadline, sig);
        (bool done,) = _permitted(d, sig);
        ok(done, "the allowance decides");
        _expectDeposited(100e6);
    }

    function test_badPermitBesideAnAllowanceIsNoFailureButWithoutOneItIs() external {
        Order memory d = signedOrder(100e6);
        (bool done, bytes memory answer) = _permitted(d, new bytes(65));
        ok(!done, "no allowance");
        eq(answer, tokenSaid(address(usdc), "ERC20: transfer amount exceeds allowance"), "says the token");
        vm.prank(owner);
        usdc.approve(address(router), 100e6);
        (done,) = _permitted(d, new bytes(65));
        ok(done, "standing allowance");
    }

    function test_permitOfTheOwnerDoesNotServeAnotherCaller() external {
        Order memory d = signedOrder(100e6);
        bytes memory sig = permitOf(address(router), 100e6, d.deadline);
        usdc.mint(mallory, 100e6);
        (bool done,) =
            submit(abi.encodeCall(IDepositRouter.executeWithPermit, (d, signedSteps(), none(), sig)));
        ok(!done, "the caller pays");
        eq(usdc.balanceOf(owner), 1_000e6, "not the signer");
    }

    function test_permitOfEverything() external {
        Order memory d = signedOrder(MAX);
        (bool done,) = _permitted(d, permitOf(address(router), MAX, d.deadline));
        ok(done, "the whole balance");
        eq(fiatVault.balanceOf(owner), 1_000e6, "shares");
    }

    function test_permitForNativeIsRefused() external {
        Order memory d = signedOrder(1 ether);
        d.tokenIn = NATIVE;
        vm.deal(owner, 1 ether);
        vm.prank(owner);
        vm.expectRevert(IDepositRouter.NativeInForbidden.selector);
        router.executeWithPermit{value: 1 ether}(d, signedSteps(), none(), new bytes(65));
    }

    function test_permitChecksTheOrderToo() external {
        Order memory d = signedOrder(100e6);
        d.minOut = 0;
        (, bytes memory answer) = _permitted(d, permitOf(address(router), 100e6, d.deadline));
        eq(answer, abi.encodeWithSelector(IDepositRouter.ZeroMinOut.selector), "before anything is called");
    }

    function test_anAuthorisationThatBringsLessForwardsWhatArrived() external {
        TaxedAuthorizations taxed = new TaxedAuthorizations();
        OpenZeppelinVault into_ = new OpenZeppelinVault(address(taxed), 0);
        taxed.mint(owner, 100e6);
        Order memory d = depositOf(address(taxed), 100e6, address(into_));
        d.minIn = 99e6;
        Step[] memory steps = one(vaultStep(address(taxed), address(into_), bob));
        vm.prank(mallory);
        eq(router.executeWithAuthorization(d, steps, none(), owner, new bytes(65)), 99e6, "shares");
        eq(taxed.balanceOf(address(router)), 0, "nothing stays");
    }

    function test_permitMayCarryAFee() external {
        Order memory d = signedOrder(100e6);
        d.nativeFee = 5;
        bytes memory sig = permitOf(address(router), 100e6, d.deadline);
        vm.deal(owner, 5);
        vm.prank(owner);
        router.executeWithPermit{value: 5}(d, signedSteps(), none(), sig);
        eq(carol.balance, 5, "unused, so refunded");
    }

    // --- accounts with code -----------------------------------------------------------------------------------------

    function _fromWallet(uint256 extra, bool byPermit2) private returns (bool done) {
        ContractWallet wallet = new ContractWallet(owner, extra);
        usdc.mint(address(wallet), 100e6);
        wallet.approve(usdc, PERMIT2);
        Order memory d = signedOrder(100e6);
        bytes memory sig =
            byPermit2 ? witness(d, signedSteps(), none()) : authorization(address(wallet), d, signedSteps(), none());
        (done,) = submit(
            submissionOf(byPermit2, address(wallet), d, signedSteps(), none(), bytes.concat(sig, new bytes(extra)))
        );
        eq(usdc.balanceOf(address(wallet)), done ? 0 : 100e6, "paid");
    }

    function test_contractWalletsSignByErc1271() external {
        for (uint256 i = 0; i < 2; ++i) {
            ok(_fromWallet(0, i == 1), "65 bytes");
            ok(_fromWallet(32, i == 1), "more bytes");
        }
    }

    function test_delegatedAccountsSignAsTheirDelegateSays() external {
        vm.setEvmVersion("prague");
        approvePermit2();
        vm.attachDelegation(vm.signDelegation(address(new Intruder()), OWNER_KEY));
        ok(owner.code.length == 23, "EIP-7702");
        for (uint256 i = 0; i < 2; ++i) {
            (bool done, bytes memory answer) = _run(i == 1, signedOrder(100e6));
            ok(!done, "a delegate without isValidSignature");
            eq(bytes32(bytes4(answer)), bytes32(IDepositRouter.AuthorizationFailed.selector), "says no");
        }
        vm.attachDelegation(vm.signDelegation(address(new ContractWallet(owner, 0)), OWNER_KEY));
        for (uint256 i = 0; i < 2; ++i) {
            (bool done,) = _run(i == 1, signedOrder(100e6 + i));
            ok(done, "a delegate that knows its owner");
        }
    }

    // --- reentry ----------------------------------------------------------------------------------------------------

    function test_everyEntryIsLocked() external {
        approvePermit2();
        usdc.mint(alice, 10e6);
        vm.prank(alice);
        usdc.approve(address(router), MAX);
        Order memory inner = signedOrder(1e6);
        bytes[4] memory entries = [
            abi.encodeCall(IDepositRouter.execute, (inner, signedSteps(), none())),
            abi.encodeCall(IDepositRouter.executeWithPermit, (inner, signedSteps(), none(), new bytes(65))),
            submission(false, inner, signedSteps(), none(), signatureOf(false, inner, signedSteps(), none())),
            submission(true, inner, signedSteps(), none(), signatureOf(true, inner, signedSteps(), none()))
        ];
        for (uint256 outer = 0; outer < 4; ++outer) {
            for (uint256 i = 0; i < 4; ++i) {
                uint256 id = vm.snapshotState();
                Intruder intruder = new Intruder();
                intruder.plan(address(router), 0, entries[i]);
                Step[] memory steps =
                    two(callStep(address(intruder), abi.encodeCall(Intruder.act, ())), signedSteps()[0]);
                _enter(outer, steps);
                eq(intruder.calls(), 1, "had control");
                eq(intruder.answer(), abi.encodeWithSelector(IDepositRouter.Reentered.selector), "shut out");
                vm.revertToState(id);
            }
        }
    }

    function _enter(uint256 entry, Step[] memory steps) private {
        Order memory d = signedOrder(2e6);
        if (entry < 2) {
            vm.prank(alice);
            if (entry == 0) router.execute(d, steps, none());
            else router.executeWithPermit(d, steps, none(), new bytes(65));
            return;
        }
        bool byPermit2 = entry == 3;
        (bool done,) =
            submit(submission(byPermit2, d, steps, none(), signatureOf(byPermit2, d, steps, none())));
        ok(done, "outer order");
    }
}
